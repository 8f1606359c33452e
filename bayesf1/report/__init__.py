"""What a person sees: tables, sentences, pictures."""
