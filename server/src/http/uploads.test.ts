import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Uploads } from './uploads.ts'

const KIB = 1024
const MIB = 1024 * KIB

function arena() {
  const uploads = new Uploads({ perNodeBytes: 200 * MIB, perOrganizationBytes: 100 * MIB })
  const enter = (organizationId: string | null, headers: Record<string, string>) => {
    const response = new EventEmitter()
    const limitBytes = 96 * MIB
    const isIn = uploads.enter({ headers } as never, response as never, { organizationId, limitBytes })
    return { isIn, end: (how: 'finish' | 'close') => response.emit(how) }
  }
  const length = (bytes: number) => ({ 'content-length': String(bytes) })
  return { uploads, enter, length }
}

describe('bodies that are being uploaded', () => {
  it('have a bound per organization and one per node, by what they announce', () => {
    const { uploads, enter, length } = arena()
    expect(enter('a', length(90 * MIB)).isIn).toBe(true)
    expect(enter('a', length(90 * MIB)).isIn).toBe(false)
    expect(enter('b', length(90 * MIB)).isIn).toBe(true)
    expect(enter('c', length(90 * MIB)).isIn).toBe(false)
    expect(enter('a', length(9 * MIB)).isIn).toBe(true)
    expect(uploads.bytes).toBe(189 * MIB)
  })

  it('without a length count as all that is allowed', () => {
    const { enter, uploads } = arena()
    expect(enter('a', { 'transfer-encoding': 'chunked' }).isIn).toBe(true)
    expect(uploads.bytes).toBe(96 * MIB)
    expect(enter('a', { 'transfer-encoding': 'chunked' }).isIn).toBe(false)
  })

  it('give their place back once, whether they were answered or cut off', () => {
    const { enter, length, uploads } = arena()
    const [first, second] = [enter('a', length(50 * MIB)), enter('a', length(50 * MIB))]
    first.end('finish')
    first.end('close')
    expect(uploads.bytes).toBe(50 * MIB)
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
