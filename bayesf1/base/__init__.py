"""What knows no evaluation: checks of arguments, names, arrays, and files of text."""
