import { problemKinds } from '@voelgoed/core/contract/problems'
import type { OpenApi, Operation } from './openapi.ts'

/**
 * The contract as one page of plain HTML: no script, no download, readable on a phone and by a screen reader,
 * searchable with the browser.
 */
export function renderDocs(api: OpenApi): string {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const areas = api.tags.map(tag => ({
    name: tag.name,
    operations: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(api.info.title)} · API</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>${html(api.info.title)}</h1>
<p>${html(api.info.description)} The same as <a href="/openapi.json">OpenAPI 3.1</a>.</p></header>
<nav aria-label="Routes">
${areas
  .map(
    area => `<section><h2><a href="#${area.name}">${area.name}</a></h2><ul>
${area.operations.map(({ path, method, operation }) => `<li><a href="#${operation.operationId}">${verb(method)} <code>${html(path)}</code></a></li>`).join('\n')}
</ul></section>`,
  )
  .join('\n')}
<section><h2><a href="#problems">Problems</a></h2></section>
</nav>
<main>
${areas
  .map(
    area => `<h2 id="${area.name}">${area.name}</h2>
${area.operations.map(({ path, method, operation }) => renderOperation(path, method, operation)).join('\n')}`,
  )
  .join('\n')}
<h2 id="problems">Problems</h2>
<div class="wide"><table><thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead><tbody>
${Object.entries(problemKinds)
  .map(
    ([kind, problem]) =>
      `<tr id="problem-${kind}"><td>${problem.status}</td><td><code>${kind}</code></td><td>${html(problem.title)}. ${html(problem.detail)}</td></tr>`,
  )
  .join('\n')}
</tbody></table></div>
</main>
</body>
</html>`
}

function renderOperation(path: string, method: string, operation: Operation): string {
  const body = operation.requestBody?.content['application/json']
  return `<article id="${operation.operationId}">
<h3>${verb(method)} <code>${html(path)}</code></h3>
<p>${html(operation.summary)}. <span class="access">${html(operation.description)}</span></p>
${operation.parameters.length > 0 ? `<h4>Parameters</h4><ul>${operation.parameters.map(p => `<li><code>${html(p.name)}</code> <small>${p.in}${p.required ? '' : ', optional'}</small>${describe(p)}</li>`).join('')}</ul>` : ''}
${body?.example === undefined ? '' : `<h4>Example of a body</h4><pre tabindex="0">${html(JSON.stringify(body.example, null, 2))}</pre>`}
${body ? details('Schema of the body', body.schema) : ''}
<h4>Answers</h4>
<dl>${Object.entries(operation.responses)
    .map(([status, response]) => {
      const schema = response.content?.['application/json']?.schema
      return `<dt>${status}</dt><dd>${response.description.replace(/`(\w+)`/g, (_, kind: string) => `<a href="#problem-${kind}"><code>${kind}</code></a>`)}${schema ? details('Schema', schema) : ''}</dd>`
    })
    .join('')}</dl>
</article>`
}

function describe(parameter: Operation['parameters'][number]): string {
  const text = parameter.description ?? (parameter.schema as { description?: string }).description
  return text ? `: ${html(text)}` : ''
}

function details(title: string, schema: object): string {
  return `<details><summary>${title}</summary><pre tabindex="0">${html(JSON.stringify(schema, null, 2))}</pre></details>`
}

function verb(method: string): string {
  return `<b class="verb ${method}">${method.toUpperCase()}</b>`
}

function html(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}

const STYLE = `
:root { color-scheme: light dark; --ink: #16202a; --soft: #5a6672; --line: #d5dbe1; --paper: #fff; --tint: #f3f5f7; --link: #0b57a4 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #a3afbb; --line: #37414b; --paper: #12171c; --tint: #1b2229; --link: #8cc4ff } }
* { box-sizing: border-box }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: minmax(0, 1fr) }
header, nav, main { padding: 1rem; max-width: 60rem; min-width: 0 }
a { color: var(--link) }
code, pre { font: 0.9em/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
pre { background: var(--tint); padding: .75rem; border-radius: .4rem; overflow: auto; max-height: 28rem; overflow-wrap: normal }
nav ul { list-style: none; padding: 0 } nav li { margin: .2rem 0 } nav h2 { font-size: 1rem; margin: 1rem 0 .2rem }
nav a { text-decoration: none }
article { border-top: 1px solid var(--line); padding: 1rem 0; scroll-margin-top: 1rem }
h3 { font-size: 1.05rem; margin: 0 } h4 { font-size: .9rem; margin: .8rem 0 .2rem; color: var(--soft) }
.verb { font-size: .75em; letter-spacing: .04em; border: 1px solid currentColor; border-radius: .3em; padding: .1em .4em }
.access, small { color: var(--soft) }
dt { font-weight: 600; float: left; clear: left } dd { margin: 0 0 .4rem 3rem }
summary { cursor: pointer; color: var(--link) }
table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
.wide { overflow-x: auto }
:target { background: var(--tint) }
@media (min-width: 70rem) { body { grid-template-columns: 24rem minmax(0, 1fr) } header { grid-column: 1 / -1 } nav { position: sticky; top: 0; height: 100vh; overflow: auto } }
`
