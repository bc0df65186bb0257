"""Many runs of one scenario: which runs, what they show, and the smallest of them."""
