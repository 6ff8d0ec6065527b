import { createServer, type Server, type Socket } from 'node:net'
import type { TestServer } from './harness.ts'
import { waitUntil } from './wait-until.ts'

export interface TakenMail {
  readonly from: string
  readonly to: string
  /** As it came, without the final dot. */
  readonly raw: string
}

/** The server does this with a mail instead of taking it. */
export type Mischief =
  /** Answers this step so. `end` is the final dot. */
  | { readonly at: 'MAIL' | 'RCPT' | 'DATA' | 'end'; readonly answer: string }
  /** Asks for the mail, and cuts the connection off before it has read it. */
  | 'cut in the middle'
  /** Takes the mail, and cuts the connection off instead of saying so. */
  | 'cut after the dot'
  /** Takes the mail, and says nothing. */
  | 'silent after the dot'

/**
 * Resolves when each mail to this address has gone out or been given up: a look of the node's own may be
 * sending one, which another look does not wait for.
 */
export async function mailsEnded(
  { node, database }: Pick<TestServer, 'node' | 'database'>,
  recipient: string,
): Promise<void> {
  await waitUntil('the mails to this address have ended', async () => {
    await node.mailSender.look()
    const open = await database.sql('select 1 from mails where recipient = $1 and ended_at is null', [
      recipient,
    ])
    return open.length === 0
  })
}

/** A mail server that speaks SMTP, takes mails and misbehaves when told to. */
export class TestSmtp {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly taken: TakenMail[] = []
  /** For the next mails, one each. */
  readonly mischief: Mischief[] = []
  connections = 0
  /** A mail that was taken gets its answer when this resolves. */
  beforeAnswer: (mail: TakenMail) => Promise<unknown> = () => Promise.resolve()

  private constructor() {
    this.#server = createServer(socket => {
      this.connections += 1
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => {})
      this.#talk(socket)
    })
  }

  static async start(): Promise<TestSmtp> {
    const smtp = new TestSmtp()
    await new Promise<void>(resolve => smtp.#server.listen(0, '127.0.0.1', resolve))
    return smtp
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** To this address. */
  to(address: string): TakenMail[] {
    return this.taken.filter(mail => mail.to === address)
  }

  #talk(socket: Socket): void {
    let rest = ''
    let data: string | null = null
    let from = ''
    let to = ''
    let mischief: Mischief | null = null
    const say = (line: string) => void socket.write(`${line}\r\n`)
    const step = (at: 'MAIL' | 'RCPT' | 'DATA' | 'end', fine: string) => {
      const isHere = mischief !== null && typeof mischief === 'object' && mischief.at === at
      say(isHere ? (mischief as { answer: string }).answer : fine)
      return !isHere
    }
    const command = (line: string) => {
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'EHLO') say('250-test\r\n250 8BITMIME')
      else if (verb === 'MAIL') {
        mischief = this.mischief.shift() ?? null
        from = /<(.*)>/.exec(line)![1]!
        step('MAIL', '250 ok')
      } else if (verb === 'RCPT') {
        to = /<(.*)>/.exec(line)![1]!
        step('RCPT', '250 ok')
      } else if (verb === 'DATA') {
        if (!step('DATA', '354 go on')) return
        data = ''
        if (mischief === 'cut in the middle') {
          socket.pause()
          // The answer is on its way before the connection is reset.
          setImmediate(() => socket.resetAndDestroy())
        }
      } else if (verb === 'QUIT') socket.end('221 bye\r\n')
      else say('250 ok')
    }
    const taken = (raw: string) => {
      if (mischief !== null && typeof mischief === 'object') return void step('end', '250 taken')
      const mail = { from, to, raw }
      this.taken.push(mail)
      if (mischief === 'cut after the dot') socket.resetAndDestroy()
      else if (mischief !== 'silent after the dot') {
        void this.beforeAnswer(mail).then(
          () => say('250 taken'),
          () => socket.destroy(),
        )
      }
    }
    say('220 test')
    socket.on('data', chunk => {
      rest += chunk.toString('latin1')
      for (;;) {
        if (data !== null) {
          const end = rest.indexOf('\r\n.\r\n')
          if (end === -1) return
          const raw = rest.slice(0, end)
          rest = rest.slice(end + 5)
          data = null
          taken(raw.replaceAll('\r\n..', '\r\n.'))
        } else {
          const end = rest.indexOf('\r\n')
          if (end === -1) return
          const line = rest.slice(0, end)
          rest = rest.slice(end + 2)
          command(line)
        }
      }
    })
  }
}
