"""What knows no evaluation: names, arrays, tables of text, answers and the formats they are written in."""
