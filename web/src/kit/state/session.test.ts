import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser, json, problem } from '../../../test/fake-browser.ts'
import { Session } from './session.svelte.ts'

const SLUG = 'voelgoed'
const person = (id: string, email: string | null = null) => ({
  token: `token of ${id}`,
  user: { id, email },
  organization: { slug: SLUG, name: 'Voelgoed' },
})

describe('who this browser’s visitor is', () => {
  let browser: ReturnType<typeof fakeBrowser>
  let session: Session
  const told: string[] = []
  beforeEach(() => {
    browser = fakeBrowser()
    told.length = 0
  })
  afterEach(() => {
    session.close()
    vi.unstubAllGlobals()
  })

  /** A server that makes each newcomer `next`. */
  const open = (visitor: ReturnType<typeof person>, next: ReturnType<typeof person>) => {
    browser.kept.set(`voelgoed:session:${SLUG}`, JSON.stringify(visitor))
    vi.stubGlobal('fetch', async (_: unknown, { method }: RequestInit) =>
      method === 'DELETE' ? new Response(null, { status: 204 }) : json({ data: next }, 201),
    )
    session = new Session(SLUG)
    session.onNewId = (from, to) => told.push(`${from} is now ${to}`)
    session.onSignOut = id => told.push(`${id} signed out`)
    return session
  }
  const ask = () =>
    session.run(async () => {
      if (session.visitor!.user.id !== 'ana') return 'answered'
      const { Refused } = await import('@voelgoed/client')
      throw new Refused(await problem(401, 'unauthorized').json(), null)
    })

  it('a guest whose session has ended goes on as another guest, who has what was theirs', async () => {
    open(person('ana'), person('new guest'))
    expect(await ask()).toBe('answered')
    expect(told).toEqual(['ana is now new guest'])
  })

  it('who signs in while a guest is being made stays signed in', async () => {
    const ben = person('ben', 'ben@example.org')
    open(person('ana'), person('new guest'))
    vi.stubGlobal('fetch', async () => {
      browser.kept.set(`voelgoed:session:${SLUG}`, JSON.stringify(ben))
      return json({ data: person('new guest') }, 201)
    })
    expect(await ask()).toBe('answered')
    expect([session.visitor?.user.id, told]).toEqual(['ben', []])
    expect(JSON.parse(browser.kept.get(`voelgoed:session:${SLUG}`)!).user.id).toBe('ben')
  })

  it('so does a guest who signs in', async () => {
    await open(person('guest'), person('ana', 'ana@example.org')).signIn('ana@example.org', 'password')
    expect(told).toEqual(['guest is now ana'])
  })

  it('an account leaves nothing to the next one, nor to the guest after it', async () => {
    await open(person('ana', 'ana@example.org'), person('ben', 'ben@example.org')).signIn('ben', 'password')
    expect(told).toEqual([])
    await session.signOut()
    expect(told).toEqual(['ben signed out'])
  })
})
