// Package page makes one self-contained HTML file of what a command answers and of
// recorded runs: it opens on the answer and shows each call before and after.
//
// Rules: nothing is fetched and nothing runs but the page's own script, which its
// content security policy names by hash. Whatever a transcript holds is data: it
// stands as text or in JSON, never as markup. Figures are the exact integers of the
// record; what a reader sees of them is made by one place in the script. Equal input
// gives equal bytes.
package page
