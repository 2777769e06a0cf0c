"""What runs in the child: from an open file to text, in bounds, with every door closed behind it."""
