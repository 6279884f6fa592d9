"""Views as the providers' wire formats have them, and answers back. Pure functions; nothing is sent from here."""
