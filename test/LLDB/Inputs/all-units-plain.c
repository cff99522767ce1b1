// A unit without methods.
int plain(int X) { return X + 1; }
