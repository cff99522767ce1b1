# "dh --with lidia" runs dh_lidia.

use strict;
use warnings;
use Debian::Debhelper::Dh_Lib;

insert_after('dh_strip', 'dh_lidia');

1;
