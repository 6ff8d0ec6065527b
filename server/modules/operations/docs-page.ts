import { createHash } from 'node:crypto'
import { problemKinds } from '@voelgoed/contract/problems'
import { introduction } from './docs-introduction.ts'
import { SEARCH, STYLE } from './docs-looks.ts'
import { anchorOf, html } from './docs-text.ts'
import type { OpenApi, Operation } from './openapi.ts'

/**
 * The contract as one page: an introduction, every route in the order in which one needs them, and all
 * problems. It loads nothing, and works without its only script, which is the search.
 */
export function renderDocs(api: OpenApi): { page: string; contentSecurityPolicy: string } {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const tasks = api.tags.map(tag => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags[0] === tag.name),
  }))
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${html(api.info.title)} · API</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip the list of routes</a>
<header><h1>${html(api.info.title)}</h1>
<p>${html(api.info.summary)} For programs: <a href="/openapi.json">OpenAPI 3.1</a>.</p></header>
<nav aria-label="Contents">
<search hidden><label for="search">Search routes and problems</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" aria-describedby="found">
<p id="found" role="status"></p></search>
<section><h2>Introduction</h2><ul>
${introduction.map(({ title }) => `<li><a href="#${anchorOf(title)}">${html(title)}</a></li>`).join('\n')}
</ul></section>
${tasks
  .map(
    task => `<section><h2><a href="#${anchorOf(task.name)}">${html(task.name)}</a></h2><ul>
${task.operations.map(({ path, method, operation }) => `<li data-find="${operation.operationId}"><a href="#${operation.operationId}">${verb(method)} <code>${html(path)}</code></a></li>`).join('\n')}
</ul></section>`,
  )
  .join('\n')}
<section><h2><a href="#problems">Problems</a></h2></section>
</nav>
<main id="main">
<div data-group>
${introduction.map(({ title, body }) => `<section class="intro" id="${anchorOf(title)}"><h2>${html(title)}</h2>${body}</section>`).join('\n')}
</div>
${tasks
  .map(
    task => `<div data-group><h2 id="${anchorOf(task.name)}">${html(task.name)}</h2>
<p>${html(task.description)}</p>
${task.operations.map(({ path, method, operation }) => renderOperation(path, method, operation)).join('\n')}</div>`,
  )
  .join('\n')}
<div data-group>
<h2 id="problems">Problems</h2>
<div class="wide"><table><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th><th scope="col">Try again?</th></tr></thead><tbody>
${Object.entries(problemKinds)
  .map(
    ([kind, problem]) =>
      `<tr id="problem-${kind}" data-find="problem-${kind}"><td>${problem.status}</td><td><a href="#problem-${kind}"><code>${kind}</code></a></td><td>${html(problem.title)}. ${html(problem.detail)}</td><td>${problem.retryable ? 'yes' : 'no'}</td></tr>`,
  )
  .join('\n')}
</tbody></table></div></div>
</main>
<script>${SEARCH}</script>
</body>
</html>`
  const scriptHash = createHash('sha256').update(SEARCH).digest('base64')
  return {
    page,
    contentSecurityPolicy: `default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; script-src 'sha256-${scriptHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  }
}

function renderOperation(path: string, method: string, operation: Operation): string {
  const { parameters, responses } = operation
  const body = operation.requestBody?.content['application/json']
  const curl = operation['x-codeSamples'][0]!.source
  return `<article id="${operation.operationId}" data-find="${operation.operationId}">
<h3><a class="anchor" href="#${operation.operationId}">${verb(method)} <code>${html(path)}</code></a></h3>
<p>${html(operation.summary)}. <span class="access">${html(operation.description)}</span></p>
<pre tabindex="0" class="curl">${html(curl)}</pre>
${parameters.length > 0 ? `<h4>Parameters</h4><ul>${parameters.map(p => `<li><code>${html(p.name)}</code> <small>${p.in}${p.required ? '' : ', optional'}</small>${describe(p)}</li>`).join('')}</ul>` : ''}
${body ? details('Schema of the body', JSON.stringify(body.schema, null, 2)) : ''}
<h4>Answers</h4>
<dl>${Object.entries(responses)
    .map(([status, response]) => {
      const json = response.content?.['application/json']
      const example =
        json?.example === undefined
          ? ''
          : `<pre tabindex="0">${html(JSON.stringify(json.example, null, 2))}</pre>`
      return `<dt>${status}</dt><dd>${linked(html(response.description))}${example}${json ? details('Schema', JSON.stringify(json.schema, null, 2)) : ''}</dd>`
    })
    .join('')}</dl>
</article>`
}

function describe(parameter: Operation['parameters'][number]): string {
  const text = parameter.description ?? (parameter.schema as { description?: string }).description
  return text ? `: ${html(text)}` : ''
}

/** Names of problems lead to their row. */
function linked(text: string): string {
  return text.replace(/`(\w+)`/g, (_, kind: string) => `<a href="#problem-${kind}"><code>${kind}</code></a>`)
}

function details(title: string, text: string): string {
  return `<details><summary>${title}</summary><pre tabindex="0">${html(text)}</pre></details>`
}

function verb(method: string): string {
  return `<b class="verb ${method}">${method.toUpperCase()}</b>`
}
