package main

func Example() {
	main()
	// Output:
	// compact: 482 tokens, the tail 156
	// system    "You plan garden beds."
	// system    "[Summary of earlier conversation]\n8 messages about carrots."
	// user      "胡萝卜几月种？"
	// assistant calls call_3
	// tool      answers call_3
	// assistant "I looked it up."
}
