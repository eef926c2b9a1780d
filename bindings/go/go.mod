module github.com/tn-compactor/tn_compactor/bindings/go

go 1.24
