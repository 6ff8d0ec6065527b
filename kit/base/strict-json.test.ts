import { describe, expect, it } from 'vitest'
import { parseStrictJson } from './strict-json.ts'

const parse = (text: string) => parseStrictJson(Buffer.from(text), { maxValues: 1_000 })

describe('JSON from a stranger', () => {
  it('is read as it is', () => {
    const text = '{"a":[1,"[[[[ \\" {",{"ü":"\\ud83c\\udfad"}]}'
    expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  it.each([
    ['no JSON', '{"a":'],
    ['NUL in a value', '{"a":["b","\\u0000"]}'],
    ['NUL in a key', '{"\\u0000":1}'],
    ['half a surrogate pair', '{"a":"\\ud800"}'],
    ['the wrong half first', '{"a":"\\udc00\\ud800"}'],
    ['too deep', '['.repeat(100_000)],
    ['too deep, closed', '['.repeat(65) + ']'.repeat(65)],
  ])('is refused: %s', (_, text) => {
    expect(parse(text)).toMatchObject({ ok: false, problem: [{ message: expect.any(String) }] })
  })

  it('says where the text is that can not be stored', () => {
    expect(parse('{"a":["b","\\u0000"]}')).toMatchObject({ problem: [{ path: '/a/1' }] })
  })

  it('is refused when it is not UTF-8', () => {
    expect(parseStrictJson(Buffer.from([0x22, 0xff, 0x22]), { maxValues: 10 })).toMatchObject({ ok: false })
  })

  it('may nest as deep as anything sensible does', () => {
    expect(parse('['.repeat(64) + ']'.repeat(64)).ok).toBe(true)
  })

  it('may have as many values as its reader can use, and no more', () => {
    expect(parse(`{"a":[${Array(998).fill('",{["').join()}]}`).ok).toBe(true)
    expect(parse(`[${Array(1_001).fill('1').join()}]`)).toMatchObject({
      problem: [{ message: expect.stringContaining('1,000 values') }],
    })
    expect(parse(`[${Array(1_001).fill('{}').join()}]`).ok).toBe(false)
  })

  it('can not reach a prototype', () => {
    const parsed = parse('{"__proto__":{"admin":true}}')
    expect(parsed.ok && (parsed.value as { admin?: boolean }).admin).toBe(undefined)
  })
})
