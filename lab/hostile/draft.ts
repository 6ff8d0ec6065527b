import type { Route } from '@voelgoed/contract/route'

/**
 * A request that can still be broken. Text of the head stands for bytes, one a character (latin1), so that it
 * can say what no HTTP library would let us say.
 */
export interface Draft {
  readonly route: Route
  method: string
  path: string
  query: string
  version: string
  headers: [name: string, value: string][]
  /** As JSON; what is sent is `body`. Attacks on members begin with it. */
  document: unknown
  body: Buffer | null
  framing: 'length' | 'chunked' | 'none'
  /** In place of everything above. */
  raw: Buffer | null
  /** On a connection of its own: the head or the framing may not be what the server takes it for. */
  alone: boolean
  /** Ends before it is complete: the sender closes its side at once. */
  incomplete: boolean
  /** A closed connection is an answer to this. */
  mayClose: boolean
  /** Any success is a hole. */
  mustBeRefused: boolean
}

export function setHeader(draft: Draft, name: string, value: string | null): void {
  draft.headers = draft.headers.filter(([known]) => known !== name)
  if (value !== null) draft.headers.push([name, value])
}

export function setBody(draft: Draft, body: Buffer | string): void {
  draft.body = typeof body === 'string' ? Buffer.from(body) : body
  if (!draft.headers.some(([name]) => name === 'content-type')) {
    draft.headers.push(['content-type', 'application/json'])
  }
}

export function encode(draft: Draft): Buffer[] {
  if (draft.raw) return [draft.raw]
  const { body } = draft
  const headers = [...draft.headers]
  if (body && draft.framing === 'length') headers.push(['content-length', String(body.length)])
  if (body && draft.framing === 'chunked') headers.push(['transfer-encoding', 'chunked'])
  const target = draft.query === '' ? draft.path : `${draft.path}?${draft.query}`
  const head = [
    `${draft.method} ${target} ${draft.version}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')
  const pieces: Buffer[] = [Buffer.from(head, 'latin1')]
  if (body) pieces.push(...(draft.framing === 'chunked' ? chunks(body) : [body]))
  return pieces
}

function chunks(body: Buffer): Buffer[] {
  const size = Math.max(1, Math.min(64 * 1024, Math.ceil(body.length / 3)))
  const pieces: Buffer[] = []
  for (let from = 0; from < body.length; from += size) {
    const chunk = body.subarray(from, from + size)
    pieces.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  pieces.push(Buffer.from('0\r\n\r\n'))
  return pieces
}

/** A piece of JSON that no value gives: `1e999`, a string with a NUL in it. Only `encodeJson` knows it. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): string {
    return `@raw(${this.text})@`
  }
}

export function encodeJson(document: unknown): string {
  const text = JSON.stringify(document) ?? ''
  return text.replace(/"@raw\((.*?)\)@"/g, (_, raw: string) => JSON.parse(`"${raw}"`) as string)
}
