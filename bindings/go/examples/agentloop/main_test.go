package main

func Example() {
	main()
	// Output:
	// model: Sandy loam.
	// model: Richer soil.
	// request 1
	//   system    "You plan garden beds."
	//   user      "Which soil suits carrots? I have clay. I have clay. I have clay. I hav"
	// request 2
	//   system    "You plan garden beds."
	//   user      "Which soil suits carrots? I have clay. I have clay. I have clay. I hav"
	//   assistant calls a tool
	//   tool      "Deep and loose. Deep and loose. Deep and loose. Deep and loose. Deep a"
	// request 3
	//   system    "You plan garden beds."
	//   system    "[Summary of earlier conversation]\n4 messages about carrots."
	//   system    "Before continuing: if anything from earlier is worth keeping, save it "
	//   user      "And leeks?"
}
