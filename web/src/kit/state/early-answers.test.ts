import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeBrowser, json } from '../../../test/fake-browser.ts'
import { fetchOrEarly } from './early-answers.ts'

const ADDRESS = 'https://tickets.example.org/api/events/1'
const as = (token: string, more: RequestInit = {}) => ({
  headers: { authorization: `Bearer ${token}` },
  ...more,
})
let now = 0
const asked = vi.fn(async () => json('asked now'))

describe('an answer that was asked for early', () => {
  beforeEach(() => {
    fakeBrowser()
    now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    vi.stubGlobal('fetch', asked)
    expectEarly(Promise.resolve(json('early')))
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.clearAllMocks()
  })

  const expectEarly = (answer: Promise<Response>) => {
    window.earlyAnswers = { token: 'ana', askedAt: now, answers: new Map([[ADDRESS, answer]]) }
  }
  const answered = async (init: RequestInit, address = ADDRESS) => (await fetchOrEarly(address, init)).json()

  it('is taken once', async () => {
    expect([await answered(as('ana')), await answered(as('ana'))]).toEqual(['early', 'asked now'])
  })

  it('is neither for another visitor, nor for another question, nor for what changes something', async () => {
    expect(await answered(as('ben'))).toBe('asked now')
    expect(await answered({})).toBe('asked now')
    expect(await answered(as('ana'), `${ADDRESS}/prices`)).toBe('asked now')
    expect(await answered(as('ana', { method: 'POST' }))).toBe('asked now')
    expect(await answered(as('ana'))).toBe('early')
  })

  it('is asked for again when it is old, and when there never was one', async () => {
    now += 31_000
    expect(await answered(as('ana'))).toBe('asked now')
    window.earlyAnswers = undefined
    expect(await answered(as('ana'))).toBe('asked now')
    // From then on the page asks for itself.
    expect(window.earlyAnswers).toMatchObject({ answers: new Map() })
  })

  it('is asked for again long after others of its kind were taken, or when one of them failed', async () => {
    const more = `${ADDRESS}/map`
    const add = (first: Promise<Response>) => {
      expectEarly(first)
      window.earlyAnswers!.answers.set(more, Promise.resolve(json('early')))
    }
    add(Promise.resolve(json('early')))
    await answered(as('ana'))
    expect(await answered(as('ana'), more)).toBe('early')

    add(Promise.resolve(json('early')))
    await answered(as('ana'))
    now += 11_000
    expect(await answered(as('ana'), more)).toBe('asked now')

    add(Promise.resolve(json('busy', 503)))
    await answered(as('ana'))
    expect(await answered(as('ana'), more)).toBe('asked now')

    add(Promise.reject(new TypeError('no network')))
    await expect(answered(as('ana'))).rejects.toThrow('no network')
    expect(await answered(as('ana'), more)).toBe('asked now')
  })

  it('is not waited for longer than the caller waits', async () => {
    const gone = new AbortController()
    expectEarly(new Promise(() => {}))
    const waiting = fetchOrEarly(ADDRESS, as('ana', { signal: gone.signal }))
    gone.abort(new Error('the caller left'))
    await expect(waiting).rejects.toThrow('the caller left')
    expectEarly(Promise.resolve(json('early')))
    await expect(fetchOrEarly(ADDRESS, as('ana', { signal: gone.signal }))).rejects.toThrow('the caller left')
  })
})
