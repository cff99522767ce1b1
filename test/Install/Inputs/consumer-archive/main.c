int part(int);

int main(int argc, char **argv) { return part(argc) - (argv[0] != 0); }
