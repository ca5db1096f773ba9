"""Documents a model writes (JSON, YAML, TOML): the one it commits to, read strictly, validated, compared."""
