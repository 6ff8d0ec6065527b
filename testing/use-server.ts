import assert from 'node:assert/strict'
import { afterAll, beforeAll } from 'vitest'
import { type Answer, startTestServer, type TestOrganization, type TestServer } from './harness.ts'

export interface UsedServer {
  readonly server: TestServer
  /** An organization of this file, beside the neighbour. */
  readonly ours: TestOrganization
  send(
    method: string,
    url: string,
    token: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** As the organizer of `ours`. */
  organize(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/**
 * One server for all tests of a file, and an organization to try things on. To be called at the top of the
 * file: what it returns works in tests and in hooks that are defined after it.
 * Vitest runs `afterAll` hooks in reverse, so the server closes after the file's own have run.
 */
export function useServer(env: Record<string, string> = {}): UsedServer {
  let server: TestServer | undefined
  let ours: TestOrganization | undefined
  beforeAll(async () => {
    server = await startTestServer(env)
    ours = await server.organization()
  })
  afterAll(() => server?.close())

  const running = () => server ?? assert.fail('the server starts before the first test')
  const organization = () => ours ?? assert.fail('the organization is made before the first test')
  const send: UsedServer['send'] = (method, url, token, body, headers = {}) =>
    running().request(method, url, { token, body, headers })
  return {
    server: {
      get node() {
        return running().node
      },
      get database() {
        return running().database
      },
      get clock() {
        return running().clock
      },
      get seen() {
        return running().seen
      },
      passes: ms => running().passes(ms),
      request: (method, url, options) => running().request(method, url, options),
      organization: name => running().organization(name),
      close: () => running().close(),
    },
    ours: {
      get id() {
        return organization().id
      },
      get slug() {
        return organization().slug
      },
      get tokens() {
        return organization().tokens
      },
    },
    send,
    organize: (method, url, body, headers) =>
      send(method, url, organization().tokens.organizer, body, headers),
  }
}
