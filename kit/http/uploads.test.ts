import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { placeOf, UploadStopped, Uploads } from './uploads.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** 200 MiB for large bodies and 32 for others; 50 MiB and 8 MiB for one organization. */
function arena() {
  let now = 0
  const clock = { elapsed: () => now }
  const uploads = new Uploads({ perNodeBytes: 232 * MIB, perOrganizationBytes: 50 * MIB, clock })
  const enter = (organizationId: string | null, headers: Record<string, string>) => {
    const response = new EventEmitter()
    const request = { headers }
    const limitBytes = 96 * MIB
    const isIn = uploads.enter(request as never, response as never, { organizationId, limitBytes })
    const place = placeOf(request as never)
    const ended: Error[] = []
    if (place) place.onEnd = error => ended.push(error)
    return { isIn, place, ended, end: (how: 'finish' | 'close') => response.emit(how) }
  }
  const length = (bytes: number) => ({ 'content-length': String(bytes) })
  const pass = (ms: number) => {
    now += ms
    uploads.endSilent()
  }
  return { uploads, enter, length, pass }
}

describe('bodies that are being uploaded', () => {
  it('count for what has come of them and a little ahead, not for what they announce', () => {
    const { uploads, enter, length } = arena()
    // Two organizations that send nothing of much leave the room to a third.
    for (const owner of ['a', 'a', 'b', 'b']) expect(enter(owner, length(96 * MIB)).isIn).toBe(true)
    expect(uploads.bytes).toBe(4 * MIB)
    const third = enter('c', length(49 * MIB))
    expect(third.place?.came(48 * MIB)).toBe(true)
    expect(uploads.bytes).toBe(53 * MIB)
  })

  it('have a quarter of the node for one organization', () => {
    const { enter, length } = arena()
    const first = enter('a', length(90 * MIB))
    expect(first.place?.came(48 * MIB)).toBe(true)
    expect(first.place?.came(2 * MIB)).toBe(false)
    expect(enter('a', length(2 * MIB)).isIn).toBe(true)
    expect(enter('a', length(2 * MIB)).isIn).toBe(false)
    for (const owner of ['b', 'c', 'd']) {
      expect(enter(owner, length(50 * MIB)).place?.came(49 * MIB)).toBe(true)
    }
    expect(enter('e', length(50 * MIB)).isIn).toBe(false)
  })

  it('of up to a MiB have room of their own, which large ones can not take', () => {
    const { enter, length } = arena()
    for (const owner of ['a', 'b', 'c', 'd']) enter(owner, length(50 * MIB)).place?.came(50 * MIB)
    expect(enter('a', length(2 * MIB)).isIn).toBe(false)
    expect(enter('a', length(200 * KIB)).isIn).toBe(true)
    expect(enter('v', length(200 * KIB)).isIn).toBe(true)
    for (let count = 0; count < 8; count += 1) enter('w', length(MIB))
    expect(enter('w', length(MIB)).isIn).toBe(false)
    expect(enter('v', length(MIB)).isIn).toBe(true)
  })

  it('are ended when no byte has come for ten seconds, whatever they announced', () => {
    const { enter, length, pass } = arena()
    const [silent, slow, whole] = [1, 2, 3].map(() => enter('a', length(2 * MIB)))
    whole!.place?.isWhole()
    pass(6_000)
    slow!.place?.came(1)
    pass(4_000)
    expect(silent!.ended).toEqual([expect.any(UploadStopped)])
    expect([slow!.ended, whole!.ended]).toEqual([[], []])
    pass(60_000)
    expect([silent!.ended.length, slow!.ended.length, whole!.ended.length]).toEqual([1, 1, 0])
  })

  it('without a length count as all that is allowed, as far as it comes', () => {
    const { enter, uploads } = arena()
    const { isIn, place } = enter('a', { 'transfer-encoding': 'chunked' })
    expect([isIn, uploads.bytes]).toEqual([true, MIB])
    expect(place?.came(3 * MIB)).toBe(true)
    expect(uploads.bytes).toBe(4 * MIB)
  })

  it('give their place back once, whether they were answered or cut off', () => {
    const { enter, length, uploads } = arena()
    const [first, second] = [enter('a', length(5 * MIB)), enter('a', length(5 * MIB))]
    first.place?.came(5 * MIB)
    first.end('finish')
    first.end('close')
    expect(uploads.bytes).toBe(MIB)
    second.end('close')
    expect(uploads.bytes).toBe(0)
  })

  it('that are small, or too large for their route, take none', () => {
    const { enter, length, uploads } = arena()
    for (const headers of [length(16 * KIB), length(97 * MIB), length(Number.NaN), {}]) {
      expect(enter(null, headers as never).isIn).toBe(true)
    }
    expect(uploads.bytes).toBe(0)
  })
})
