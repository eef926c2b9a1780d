module github.com/tn-compactor/tn_compactor/bindings/go/bench

go 1.24

require (
	github.com/goccy/go-json v0.12.0
	github.com/tn-compactor/tn_compactor/bindings/go v0.0.0
)

replace github.com/tn-compactor/tn_compactor/bindings/go => ../
