import { request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { ProviderTrouble } from '@voelgoed/core/refusal'
import { ok, type Result, refuse } from '@voelgoed/core/result'
import { AddressNotAllowed, type ProviderAddresses } from './provider-address.ts'

interface ProviderAnswer {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
}

interface Question {
  readonly headers?: Readonly<Record<string, string>>
  /** Left out: the document is read. */
  readonly form?: URLSearchParams
}

/** `ok`, or why there is no answer. */
export type OnAnswer = (outcome: 'ok' | ProviderTrouble, ms: number) => void

export type AskProvider = (url: string, ask?: Question) => Promise<Result<ProviderAnswer, ProviderTrouble>>

/** For the whole of a question: a person waits in front of the page. */
const WAIT_MS = 5_000
/** The documents and tokens of providers have a few kilobytes. */
const MAX_BYTES = 256 * 1024

/** One question to a provider, bounded in time and size. No redirect is followed, no connection is kept. */
export function askProvider(
  addresses: ProviderAddresses,
  { waitMs = WAIT_MS, onAnswer = () => {} }: { waitMs?: number; onAnswer?: OnAnswer } = {},
): AskProvider {
  return async (url, ask) => {
    const began = performance.now()
    const result = await askOnce(addresses, url, ask ?? {}, waitMs)
    onAnswer(result.ok ? 'ok' : result.problem, performance.now() - began)
    return result
  }
}

function askOnce(
  addresses: ProviderAddresses,
  url: string,
  { headers = {}, form }: Question,
  waitMs: number,
): Promise<Result<ProviderAnswer, ProviderTrouble>> {
  const target = addresses.read(url)
  if (!target) return Promise.resolve(refuse('address_not_allowed'))
  const body = form?.toString()
  const signal = AbortSignal.timeout(waitMs)
  const options: RequestOptions = {
    method: form ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
      }),
      ...headers,
    },
    agent: false,
    lookup: addresses.lookup,
    signal,
  }
  return new Promise(resolve => {
    const fail = (error: Error) => resolve(refuse(signal.aborted ? 'time_out' : troubleOf(error)))
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest
    const request = send(target, options, response => {
      const parts: Buffer[] = []
      let size = 0
      response.on('error', fail)
      response.on('data', (part: Buffer) => {
        size += part.length
        parts.push(part)
        if (size <= MAX_BYTES) return
        resolve(refuse('answer_too_large'))
        request.destroy()
      })
      response.on('end', () => {
        const json = parse(Buffer.concat(parts))
        resolve(json ? ok({ status: response.statusCode!, json }) : refuse('answer_invalid'))
      })
    })
    request.on('error', fail)
    request.end(body)
  })
}

function troubleOf(error: Error): ProviderTrouble {
  return error instanceof AddressNotAllowed ? 'address_not_allowed' : 'unreachable'
}

function parse(bytes: Buffer): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
