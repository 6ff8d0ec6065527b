import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { RESERVED_SLUGS, Slug, Uuid } from '@voelgoed/contract/common'
import { ROOT } from '@voelgoed/kit/base/root'
import { acceptedEncoding } from '@voelgoed/kit/http/accepted-encoding'
import { etagMatches } from '@voelgoed/kit/http/etag-matches'
import type { Encoding } from '@voelgoed/kit/http/growing-document'
import { compileValidation } from '@voelgoed/kit/http/validation'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageDocument, PageDocuments } from './page-documents.ts'
import { inFrames, SCAN_HEADERS, STRICT_HEADERS, WITH_STRIPE_HEADERS } from './page-headers.ts'
import { PARTS_FILE, type PageName, type PageParts } from './page-parts.ts'
import { PageShells, pageAt } from './page-shells.ts'

/** `npm run build` puts the buyers' page here. */
export const PAGE_FOLDER = fileURLToPath(new URL('web/dist/', ROOT))

interface PageFile {
  readonly type: string
  readonly etag: string
  /** Its name has a hash of its content: it will never be anything else. */
  readonly isImmutable: boolean
  /** Pages of any site may load it: it is a program without anyone's data. */
  readonly isForOtherSites?: boolean
  readonly bytes: Readonly<Record<Encoding, Buffer | null>>
}

/** The component that other sites put into their pages (docs/guide/embedding.md). */
const EMBED_PATH = '/voelgoed-seats.js'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
}

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Not built yet</title>
<p>The server runs, but the buyers' page has not been built: run <code>npm run build</code> and start again.
<p>The API is there: <a href="/docs">/docs</a>.</html>`

/** Sites that an organization allows may show them in a frame. */
const FOR_BUYERS: readonly PageName[] = ['storefront', 'event', 'checkout', 'pay', 'order']

export interface PageDeps {
  readonly folder: string
  /** Each page needs these files besides the shell. */
  readonly parts: PageParts
  readonly gateway: 'simulator' | 'stripe'
  /** Sites that may show pages of an organization in a frame. */
  readonly framedBy: (slug: string) => Promise<readonly string[]>
  /** Gives public pages a head of their own. */
  readonly documents: (shell: string) => Pick<PageDocuments, 'find'>
}

/**
 * The buyers' page: static files, read once at the start. It is not part of the contract; it only uses it.
 * Every address of a storefront gets the same shell, if the caller accepts HTML. A person at an address that
 * does not exist gets the shell with status 404, and the page says "not here". Programs, and everyone under
 * `/api`, get the JSON problem.
 */
export function servePage(fastify: FastifyInstance, deps: PageDeps): void {
  const { gateway } = deps
  const files = readFiles(deps.folder)
  const shell = files.get('/index.html')
  const text = shell?.bytes.identity?.toString()
  const documents = text === undefined ? undefined : deps.documents(text)
  const shells = text === undefined ? undefined : new PageShells(text, deps.parts)

  const sendFile = (request: FastifyRequest, reply: FastifyReply) => {
    const file = files.get(pathOf(request))
    return file ? send(request, reply, file) : reply.callNotFound()
  }
  fastify.get('/assets/*', sendFile)
  for (const path of files.keys()) {
    if (!path.startsWith('/assets/') && path !== '/index.html') fastify.get(path, sendFile)
  }
  // Browsers ask for this name on pages that name no icon of their own: /docs, a JSON answer in a tab.
  const icon = files.get('/icon.svg')
  if (icon) fastify.get('/favicon.ico', (request, reply) => send(request, reply, icon))

  const headersOf = (request: FastifyRequest) => {
    const paysByStripe = gateway === 'stripe' && /^\/[^/]+\/checkout\//.test(pathOf(request))
    const scans = pathOf(request) === '/scan'
    return scans ? SCAN_HEADERS : paysByStripe ? WITH_STRIPE_HEADERS : STRICT_HEADERS
  }
  const sendShell = (request: FastifyRequest, reply: FastifyReply) => {
    if (!reply.hasHeader('content-security-policy')) reply.headers(headersOf(request))
    if (shell) return send(request, reply, shell)
    return reply.code(404).type(TYPES['.html']!).send(NOT_BUILT)
  }
  const faultsOfSlug = compileValidation(Slug)
  const faultsOfUuid = compileValidation(Uuid)
  /** The one address of a page that this path means; null when it means none. */
  const canonical = (path: string): string | null => {
    const parts = path.toLowerCase().split('/')
    const [organization = '', ...rest] = parts.filter(part => part !== '')
    if (['console', 'docs', 'look', 'scan'].includes(organization)) {
      return rest.length === 0 ? `/${organization}` : null
    }
    if (RESERVED_SLUGS.includes(organization) || faultsOfSlug(organization).length > 0) return null
    if (rest.length === 0) return `/${organization}`
    const [kind = '', id = '', more] = rest
    if (rest.length === 1 && ['account', 'password'].includes(kind)) return `/${organization}/${kind}`
    if (kind === 'console') return isOfConsole(rest.slice(1)) ? `/${[organization, ...rest].join('/')}` : null
    if (!['events', 'checkout', 'orders'].includes(kind) || faultsOfUuid(id).length > 0) return null
    if (rest.length === 2) return `/${organization}/${kind}/${id}`
    const isCheckout = rest.length === 3 && kind === 'events' && more === 'checkout'
    return isCheckout ? `/${organization}/events/${id}/checkout` : null
  }
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request)
    const address = canonical(path)
    // A redirect goes only to an address that was put together here: `//elsewhere/` is never copied into it.
    if (address !== null && address !== path) {
      return reply.redirect(address + request.url.slice(path.length), 308)
    }
    if (/^\/(api|assets)(\/|$)/.test(path)) return reply.callNotFound()
    const accept = request.headers.accept ?? '*/*'
    if (!accept.includes('text/html'))
      return sendPreview(request, reply, accept.includes('*/*') ? address : null)
    return address === null ? sendShell(request, reply.code(404)) : sendOwn(request, reply, address)
  }
  /** Programs that show a preview of a link take anything: they get what is public. */
  const sendPreview = async (request: FastifyRequest, reply: FastifyReply, address: string | null) => {
    const page = address === null ? null : pageAt(address)
    const [slug = '', , eventId = null] = (address ?? '').slice(1).split('/')
    const isPublic = page === 'storefront' || page === 'event'
    const document =
      isPublic && (await documents?.find(slug, eventId, request.headers['accept-language'] ?? null))
    return document ? sendOwn(request, reply, address!) : reply.callNotFound()
  }
  /** Storefronts and events that are public say what they are; the others are not for search engines. */
  const sendOwn = async (request: FastifyRequest, reply: FastifyReply, address: string) => {
    const [slug = '', , eventId = null] = address.slice(1).split('/')
    const page = pageAt(address)
    const language = request.headers['accept-language'] ?? null
    const isForBuyers = page !== null && FOR_BUYERS.includes(page)
    reply.headers(inFrames(headersOf(request), isForBuyers ? await deps.framedBy(slug) : []))
    const isPublic = page === 'storefront' || page === 'event'
    const document = isPublic && documents ? await documents.find(slug, eventId, language) : null
    if (!document && page !== 'home') reply.header('x-robots-tag', 'noindex')
    const known = document ?? (page === null ? undefined : shells?.get(page, language))
    return known ? sendDocument(request, reply, known) : sendShell(request, reply)
  }
  fastify.get('/', (request, reply) => sendOwn(request, reply, '/'))
  fastify.get('/*', sendPage)
}

/** Tells if a path could be a screen of the console. Only the console knows which screens there are. */
function isOfConsole(parts: readonly string[]): boolean {
  return parts.length <= 3 && parts.every(part => /^[a-z0-9-]{1,40}$/.test(part))
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!
}

function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, identity, gzip }: PageDocument,
): FastifyReply {
  const bytes = { br: null, gzip, identity }
  return send(request, reply, { type: TYPES['.html']!, etag, isImmutable: false, bytes })
}

function send(request: FastifyRequest, reply: FastifyReply, file: PageFile): FastifyReply {
  const packed = (['br', 'gzip'] as const).filter(encoding => file.bytes[encoding])
  const encoding = acceptedEncoding(request.headers, packed)
  const etag = encoding === 'identity' ? `"${file.etag}"` : `"${file.etag}-${encoding}"`
  reply.headers({
    etag,
    vary: 'accept, accept-encoding, accept-language',
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'cross-origin-resource-policy': file.isForOtherSites ? 'cross-origin' : 'same-origin',
    ...(file.isForOtherSites && { 'access-control-allow-origin': '*' }),
  })
  // A page that is not there stays 404, however well the browser knows the shell.
  const isFound = reply.statusCode === 200
  if (isFound && etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(file.type).send(file.bytes[encoding])
}

/** By the path at which each is served. Empty when the page has not been built. */
function readFiles(folder: string): Map<string, PageFile> {
  const files = new Map<string, PageFile>()
  let names: string[]
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return files
  }
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (!type || name === PARTS_FILE) continue
    const bytes = readFileSync(join(folder, name))
    const packed = (suffix: string) =>
      names.includes(name + suffix) ? readFileSync(join(folder, name + suffix)) : null
    const path = `/${name.replaceAll('\\', '/')}`
    files.set(path, {
      type,
      etag: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
      isImmutable: path.startsWith('/assets/'),
      isForOtherSites: path === EMBED_PATH,
      bytes: { br: packed('.br'), gzip: packed('.gz'), identity: bytes },
    })
  }
  return files
}
