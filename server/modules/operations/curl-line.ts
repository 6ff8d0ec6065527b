import type { Route } from '@voelgoed/contract/route'

/**
 * A command for a shell in which `$base`, `$token` (or `$platform_key`) and a variable for each parameter of
 * the path are set: `$event`, `$seat`, `$hold` … A member of the query like `event_id` is `$event` as well.
 */
export function curlLine(route: Route): string {
  const url = `"$base${route.path.replace(/:(\w+)/g, (_, name: string) => `$${name}`)}${queryOf(route)}"`
  const parts = [`curl ${optionsOf(route)}${methodOf(route)}${url}`]
  if (route.access === 'root') parts.push('-H "authorization: Bearer $platform_key"')
  else if (route.access !== 'public') parts.push('-H "authorization: Bearer $token"')
  if (route.bytesOf) parts.push(`-H 'content-type: ${route.bytesOf[0]}'`, '--data-binary @picture.jpg')
  if (route.body && !route.bodyOptional) {
    parts.push("-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(route.example))}`)
  }
  return parts.join(' \\\n  ')
}

function optionsOf(route: Route): string {
  // A stream is shown as it comes, and what is not text goes to a file.
  if (route.tokenInQuery) return '-sSN '
  if (route.path === '/api/images/:image') return '-sS -o picture.jpg '
  if (route.path.endsWith('/map')) return '-sS --compressed -o map.bin '
  return route.answers[304] === null ? '-sS --compressed ' : '-sS '
}

/** With a body, curl sends POST by itself. */
function methodOf(route: Route): string {
  const hasBody = (route.body && !route.bodyOptional) || route.bytesOf
  const byItself = hasBody ? 'POST' : 'GET'
  return route.method === byItself ? '' : `-X ${route.method} `
}

function queryOf(route: Route): string {
  const required = (route.query as { required?: string[] } | undefined)?.required ?? []
  const names = [...required, ...(route.exampleQuery ?? [])]
  return names.length === 0 ? '' : `?${names.map(name => `${name}=$${name.replace(/_id$/, '')}`).join('&')}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
