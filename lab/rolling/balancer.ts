import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findProgram } from '@voelgoed/testing/program'

const NO_HAPROXY =
  'There is no HAProxy here: set VOELGOED_HAPROXY to the path of the program, or install it. ' +
  'On Debian and Ubuntu its packages are fetched without being installed, if apt-get can download.'

const HAPROXY = {
  name: 'haproxy',
  variable: 'VOELGOED_HAPROXY',
  packages: ['haproxy', 'liblua5.3-0', 'libopentracing-c-wrapper0', 'libopentracing1'],
  folder: 'sbin',
} as const

const LOOK_EVERY_MS = 100
const UP_WITHIN_MS = 60_000

/** HAProxy before several nodes: it asks each of them every second whether it is ready. */
export interface Balancer {
  readonly url: string
  /** Resolves when it sends requests to all of them. */
  allUp(): Promise<void>
  stop(): Promise<void>
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const program = await findProgram(HAPROXY, { mayFetch: true })
  if (!program) throw new Error(NO_HAPROXY)
  const folder = await mkdtemp(join(tmpdir(), 'voelgoed-haproxy-'))
  const [port, statistics] = [await freePort(), await freePort()]
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, configuration(ports, { port, statistics }))
  const child = spawn(program.path, ['-q', '-db', '-f', file], {
    env: { ...process.env, ...program.env },
    stdio: 'ignore',
  })
  const onExit = () => child.kill('SIGKILL')
  process.once('exit', onExit)
  return {
    url: `http://127.0.0.1:${port}`,
    async allUp() {
      const until = performance.now() + UP_WITHIN_MS
      while ((await readUp(statistics)) < ports.length) {
        if (performance.now() > until) throw new Error('HAProxy does not find all nodes ready')
        if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}`)
        await delay(LOOK_EVERY_MS)
      }
    },
    async stop() {
      process.off('exit', onExit)
      await end(child)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * As one would write it: nothing is tried again but what could not be sent at all, and a node that is not
 * ready twice in a row gets nothing more.
 */
function configuration(
  ports: readonly number[],
  { port, statistics }: { port: number; statistics: number },
): string {
  return `
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
frontend buyers
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /readyz
  default-server inter 1s fall 2 rise 1
${ports.map(node => `  server n${node} 127.0.0.1:${node} check`).join('\n')}
listen statistics
  bind 127.0.0.1:${statistics}
  stats enable
  stats uri /
`
}

async function readUp(statistics: number): Promise<number> {
  const text = await fetch(`http://127.0.0.1:${statistics}/;csv`).then(
    answer => answer.text(),
    () => '',
  )
  return text.split('\n').filter(line => /^nodes,n\d/.test(line) && line.split(',')[17] === 'UP').length
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
