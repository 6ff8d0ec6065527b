import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, isFree, REDIS_PORTS } from '../free-port.ts'
import { waitUntil } from '../wait-until.ts'
import { RedisClient } from './client.ts'
import { findRedis, NO_REDIS, type RedisProgram } from './program.ts'

const TRIES = 10
const DUMP = 'dump.rdb'
const SNAPSHOT = 'snapshot.rdb'
/** A Cluster talks on the port so far above. */
const BUS_PORT = 10_000

/**
 * The shell ends the server when its standard input ends, and so whenever the process that started it does,
 * however that ended. The server's process id is its first line.
 */
const WITH_PARENT = '"$@" </dev/null >/dev/null 2>&1 & echo $!; read -r _; kill -9 $! 2>/dev/null; wait'

/** A Redis of our own, on a port of its own, with nothing in it, that keeps nothing on the disk. */
export class RedisServer {
  readonly port: number
  readonly #program: RedisProgram
  readonly #folder: string
  readonly #args: readonly string[]
  #shell: ChildProcess | null = null
  #pid: number | null = null

  private constructor(program: RedisProgram, folder: string, port: number, args: readonly string[]) {
    this.#program = program
    this.#folder = folder
    this.port = port
    this.#args = args
  }

  /** Throws when there is no Redis to be had here: what needs one is never skipped in silence. */
  static async start(args: readonly string[] = []): Promise<RedisServer> {
    const program = await findRedis({ mayFetch: true })
    if (!program) throw new Error(NO_REDIS)
    return RedisServer.of(program, args)
  }

  static async of(program: RedisProgram, args: readonly string[] = []): Promise<RedisServer> {
    for (let tried = 1; ; tried += 1) {
      const folder = await mkdtemp(join(tmpdir(), 'voelgoed-redis-'))
      const server = new RedisServer(program, folder, await portOfServer(), args)
      try {
        await server.restart()
        return server
      } catch (error) {
        // Another process may have taken the port in between.
        await server.stop()
        if (tried === TRIES) throw error
      }
    }
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`
  }

  get isRunning(): boolean {
    return this.#pid !== null
  }

  /** The process, for who measures it. */
  get pid(): number {
    if (this.#pid === null) throw new Error('Redis was killed')
    return this.#pid
  }

  /** After `kill`: on the same port, with nothing in it. */
  async restart(): Promise<void> {
    // Redis would load what a replica has left there.
    await rm(join(this.#folder, DUMP), { force: true })
    await this.#run()
  }

  /** Writes down all that it has now, for `restore`. */
  async takeSnapshot(): Promise<void> {
    await this.command('SAVE')
    await rename(join(this.#folder, DUMP), join(this.#folder, SNAPSHOT))
  }

  /** After `kill` and a `takeSnapshot` before that: on the same port, with what it had then. */
  async restore(): Promise<void> {
    await rename(join(this.#folder, SNAPSHOT), join(this.#folder, DUMP))
    await this.#run()
    await rm(join(this.#folder, DUMP), { force: true })
  }

  async #run(): Promise<void> {
    const args = [
      ...['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder],
      ...['--save', '', '--appendonly', 'no', ...this.#args],
    ]
    const shell = spawn('sh', ['-c', WITH_PARENT, 'sh', this.#program.path, ...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ...this.#program.env },
    })
    this.#shell = shell
    const [line] = (await once(shell.stdout!, 'data')) as [Buffer]
    const pid = Number(String(line))
    this.#pid = pid
    await waitUntil('redis-server answers', () => {
      if (!isRunning(pid)) throw new Error('redis-server ended as soon as it was started')
      return this.#answers()
    })
  }

  /** As a crash would end it: without a word to those who are connected. */
  async kill(): Promise<void> {
    const shell = this.#shell
    if (!shell) return
    this.#shell = null
    this.#pid = null
    const ended = once(shell, 'exit')
    shell.stdin!.end()
    await ended
  }

  /** Connections stay, and nothing is answered. */
  freeze(): void {
    process.kill(this.pid, 'SIGSTOP')
  }

  thaw(): void {
    process.kill(this.pid, 'SIGCONT')
  }

  /** One command on a connection of its own. */
  async command(...words: readonly string[]): Promise<string | number | null> {
    const client = await RedisClient.connect(this.url)
    try {
      return await client.command(...words)
    } finally {
      client.close()
    }
  }

  async info(name: string): Promise<string | null> {
    const text = String(await this.command('INFO', 'everything'))
    return new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(text)?.[1] ?? null
  }

  async stop(): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  /** Returns whether it is this server that answers on the port. */
  async #answers(): Promise<boolean> {
    const pid = await this.info('process_id').catch(() => null)
    return pid === String(this.#pid)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function portOfServer(): Promise<number> {
  for (;;) {
    const port = await freePort(REDIS_PORTS)
    if (await isFree(port + BUS_PORT)) return port
  }
}
