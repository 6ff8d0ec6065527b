/**
 * Hides what does not have all the words. Its hash is in the page's Content-Security-Policy:
 * no other script runs.
 */
export const SEARCH = `
const box = document.querySelector('search'), input = document.getElementById('search'), found = document.getElementById('found')
// Without the schemas: they name nearly everything.
const wordsOf = node => node.localName === 'tr' ? node.textContent : [...node.querySelectorAll('h3, h3 + p, dd > a')].map(part => part.textContent).join(' ')
const blocks = [...document.querySelectorAll('main [data-find]')].map(node => ({ node, key: node.dataset.find, text: wordsOf(node).toLowerCase() }))
const links = [...document.querySelectorAll('nav [data-find]')]
const groups = [...document.querySelectorAll('main [data-group], nav section')]
box.hidden = false
const search = () => {
  const words = input.value.toLowerCase().split(/\\s+/).filter(Boolean)
  const shown = new Set()
  for (const { node, key, text } of blocks) {
    node.hidden = !words.every(word => text.includes(word))
    if (!node.hidden) shown.add(key)
  }
  for (const link of links) link.hidden = !shown.has(link.dataset.find)
  for (const group of groups) group.hidden = words.length > 0 && !group.querySelector('[data-find]:not([hidden])')
  found.textContent = words.length === 0 ? '' : shown.size === 1 ? '1 found' : shown.size + ' found'
}
input.addEventListener('input', search)
document.addEventListener('keydown', event => {
  if (event.key === '/' && event.target !== input) { event.preventDefault(); input.focus() }
})
addEventListener('hashchange', () => {
  const target = document.getElementById(location.hash.slice(1))
  if (target?.closest('[hidden]')) { input.value = ''; search(); target.scrollIntoView() }
})
search()
`

export const STYLE = `
:root { color-scheme: light dark; --ink: #16202a; --soft: #55616d; --line: #d5dbe1; --paper: #fff; --tint: #f3f5f7; --link: #0b57a4; --mark: #fff3c4 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #a3afbb; --line: #37414b; --paper: #12171c; --tint: #1b2229; --link: #8cc4ff; --mark: #3a3415 } }
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: minmax(0, 1fr) }
header, nav, main { padding: 0 1rem; max-width: 60rem; min-width: 0 }
h1 { margin: 1rem 0 0 } header p { margin: .2rem 0 1rem }
.skip { position: absolute; left: -99rem } .skip:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .5rem }
a { color: var(--link) }
code, pre { font: 0.9em/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
pre { background: var(--tint); padding: .75rem; border-radius: .4rem; overflow: auto; max-height: 28rem; overflow-wrap: normal; margin: .5rem 0 }
pre.curl { border-left: .25rem solid var(--link) }
nav ul { list-style: none; padding: 0; margin: 0 } nav li { margin: .2rem 0 } nav h2 { font-size: 1rem; margin: 1rem 0 .2rem }
nav a { text-decoration: none; display: block; padding: .1rem 0 }
search label { display: block; font-size: .9rem; color: var(--soft) }
search input { width: 100%; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--soft); border-radius: .4rem; padding: .5rem .7rem }
search p { margin: .2rem 0 0; min-height: 1.5em; color: var(--soft) }
main h2 { margin: 2rem 0 .5rem; scroll-margin-top: 1rem } .intro { scroll-margin-top: 1rem } .intro h2 { font-size: 1.2rem; margin-top: 1.5rem }
article { border-top: 1px solid var(--line); padding: 1rem 0; scroll-margin-top: 1rem }
h3 { font-size: 1.05rem; margin: 0 } h4 { font-size: .9rem; margin: .8rem 0 .2rem; color: var(--soft) }
.anchor { color: inherit; text-decoration: none } .anchor:hover { text-decoration: underline }
.verb { font-size: .75em; letter-spacing: .04em; border: 1px solid currentColor; border-radius: .3em; padding: .1em .4em }
.access, small { color: var(--soft) }
dt { font-weight: 600; float: left; clear: left } dd { margin: 0 0 .4rem 3rem }
summary { cursor: pointer; color: var(--link) }
table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto }
:target { background: var(--mark) } .intro:target { background: none }
@media (max-width: 69.99rem) { nav section { display: inline-block; vertical-align: top; width: 100% } nav { max-height: 45vh; overflow: auto; border-bottom: 1px solid var(--line); padding-bottom: 1rem } dd { margin-left: 2.6rem } }
@media (min-width: 70rem) { body { grid-template-columns: 25rem minmax(0, 1fr) } header { grid-column: 1 / -1 } nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding-bottom: 2rem } }
`
