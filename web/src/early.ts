/**
 * Runs by itself while the files of the page are on their way. The first format of Intl makes the browser
 * read its table of locales, which takes a phone more than a tenth of a second; the page finds it read.
 */
const first = navigator.languages[0]
new Intl.NumberFormat(first, { style: 'currency', currency: 'ZAR' }).format(1)
new Intl.DateTimeFormat(first, { weekday: 'short', hour: '2-digit' }).format()

export {}
