"""What knows no evaluation: names, tables of text, the terminal."""
