package main

func Example() {
	main()
	// Output:
	// tokens: 38
	// unchanged: true
}
