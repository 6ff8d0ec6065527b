import { HandTime } from '@voelgoed/testing/hand-time'
import { expect, it, vi } from 'vitest'
import { type HeadSource, PageDocuments } from './page-documents.ts'
import type { PublicPage } from './page-head.ts'
import { partLinks } from './page-parts.ts'

const SHELL = '<html lang="en"><head><title>Shell</title></head></html>'
const ORGANIZATION = { id: 'o', slug: 'shop', name: 'Shop', locale: 'en-ZA' } as never
const BRAND = { slug: 'shop', name: 'Shop', colour: null, logo: null, cover: null }
const PAGE: PublicPage = { kind: 'storefront', organization: ORGANIZATION, brand: BRAND, next: [] }

function documentsOn(storefront: () => Promise<PublicPage | null>) {
  const time = new HandTime()
  const heads: HeadSource[] = []
  const warn = vi.fn()
  const documents = new PageDocuments(SHELL, {
    pages: { storefront, event: async () => null },
    clock: { now: () => time.now(), elapsed: () => time.now() },
    time,
    patienceMs: 300,
    origin: () => 'https://x.example',
    log: { warn },
    onHead: from => heads.push(from),
    parts: {
      storefront: ['/assets/Shop-1.js', '/assets/Shop-1.css'],
      event: ['/assets/Hall-1.js'],
      en: ['/assets/en-1.js'],
    },
  })
  return { documents, time, heads, warn, find: () => documents.find('shop', null, null) }
}

it('readers at the same moment share one look, and those soon after need none', async () => {
  const read = vi.fn(async () => PAGE)
  const { find, time, heads } = documentsOn(read)
  const [first, second] = await Promise.all([find(), find()])
  expect(first).toBe(second)
  await time.pass(1_999)
  expect(await find()).toBe(first)
  expect(read).toHaveBeenCalledTimes(1)
  await time.pass(1)
  // Read again, and nothing has changed: the document is the same.
  expect(await find()).toBe(first)
  expect(read).toHaveBeenCalledTimes(2)
  expect(heads).toEqual(['postgres', 'postgres', 'memory', 'postgres'])
})

it('the document names the files of its page and of its language', async () => {
  const { documents } = documentsOn(async () => PAGE)
  const head = (await documents.find('shop', null, 'en'))!.identity.toString()
  expect([
    ...head.matchAll(/<link rel="(modulepreload|stylesheet)" crossorigin href="([^"]+)">/g),
  ]).toMatchObject([
    { 1: 'modulepreload', 2: '/assets/Shop-1.js' },
    { 1: 'stylesheet', 2: '/assets/Shop-1.css' },
    { 1: 'modulepreload', 2: '/assets/en-1.js' },
  ])
  const afrikaans = (await documents.find('shop', null, 'af'))!.identity.toString()
  expect(afrikaans).not.toContain('/assets/en-1.js')
})

it('what is painted first waits for no style sheet of the page', () => {
  const parts = { event: ['/assets/Hall-1.js', '/assets/Hall-1.css'] }
  const [blocking, painted] = [false, true].map(
    isPainted => partLinks(parts, 'event', 'en', { isPainted }).text,
  )
  expect(blocking).toContain('<link rel="stylesheet" crossorigin href="/assets/Hall-1.css">')
  expect(painted).toContain('<link rel="preload" as="style" crossorigin href="/assets/Hall-1.css">')
  expect(painted).not.toContain('rel="stylesheet"')
})

it('a reader does not wait for a Postgres that does not answer', async () => {
  const { find, time, heads } = documentsOn(() => new Promise(() => {}))
  const found = find()
  await time.pass(300)
  expect(await found).toBeNull()
  expect(heads).toEqual(['late'])
  expect(time.waiting).toBe(0)
})

it('what was known stays while Postgres is away, and the log says so once a minute', async () => {
  let isAway = false
  const read = vi.fn(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(PAGE)))
  const { find, time, heads, warn } = documentsOn(read)
  const known = await find()
  isAway = true
  for (let second = 0; second < 59; second++) {
    await time.pass(1_000)
    expect(await find()).toBe(known)
  }
  expect(warn).toHaveBeenCalledTimes(1)
  // One look in two seconds, not one for each reader.
  expect(read.mock.calls.length).toBeLessThan(32)
  expect(heads).toContain('late')
})

it('strangers who ask for pages that are not there fill no memory', async () => {
  const { documents, time } = documentsOn(async () => null)
  for (let n = 0; n < 2_500; n++) expect(await documents.find(`no-${n}`, null, null)).toBeNull()
  expect(documents.size).toBe(2_000)
  expect(time.waiting).toBe(0)
})
