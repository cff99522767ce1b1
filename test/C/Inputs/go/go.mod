module example.com/caller

go 1.16
