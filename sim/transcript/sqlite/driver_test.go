package sqlite_test

import _ "agentsim/sim/transcript/sqlite/driver" // databases are opened here
