"""What the literature says of each method, tried on a small scale: one module a claim, see docs/claims.md."""
