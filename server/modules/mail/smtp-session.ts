import { Readable } from 'node:stream'
import { processTime, type Time } from '@voelgoed/kit/base/time'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { type Delivery, judgeFailure, type SmtpFailure } from './judge-failure.ts'

/** Mails go out by this server. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. Otherwise STARTTLS, where the server offers it. */
  readonly secure: boolean
  /** Nothing is sent to a server without STARTTLS. */
  readonly requireTls: boolean
  readonly verifyCertificate: boolean
  readonly auth: { readonly user: string; readonly pass: string } | null
}

export interface SmtpLimits {
  readonly connectMs: number
  /** Without a byte from the server. */
  readonly idleMs: number
  /** For one mail in all. */
  readonly sendMs: number
}

export const SMTP_LIMITS: SmtpLimits = { connectMs: 10_000, idleMs: 30_000, sendMs: 60_000 }

/** One connection to the mail server, for one mail after another. */
export class SmtpSession {
  readonly #connection: SMTPConnection
  readonly #within: Bound
  #isUsable = true

  private constructor(connection: SMTPConnection, within: Bound) {
    this.#connection = connection
    this.#within = within
    connection.on('end', () => {
      this.#isUsable = false
    })
  }

  /** Throws an `SmtpFailure`. No mail was given to the server, so none has gone out. */
  static async open(
    server: MailServer,
    limits: SmtpLimits = SMTP_LIMITS,
    time: Pick<Time, 'after'> = processTime,
  ): Promise<SmtpSession> {
    const within: Bound = { ms: limits.sendMs, time }
    const connection = new SMTPConnection({
      host: server.host,
      port: server.port,
      secure: server.secure,
      requireTLS: server.requireTls,
      tls: { rejectUnauthorized: server.verifyCertificate },
      connectionTimeout: limits.connectMs,
      greetingTimeout: limits.connectMs,
      dnsTimeout: limits.connectMs,
      socketTimeout: limits.idleMs,
      logger: false,
    })
    // Also after this function has returned: an error without a listener ends the process.
    connection.on('error', () => {})
    try {
      await settled(connection, within, done => connection.connect(done))
      const { auth } = server
      if (auth) await settled(connection, within, done => connection.login({ ...auth }, done))
    } catch (error) {
      connection.close()
      throw error
    }
    return new SmtpSession(connection, within)
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  /** To one recipient. Never throws: whatever happens, the outcome says what is known of the mail. */
  async send(envelope: { from: string; to: string }, message: Buffer): Promise<Delivery> {
    let isWholeOut = false
    const source = readOnDemand(message, () => {
      isWholeOut = true
    })
    try {
      await settled(this.#connection, this.#within, done =>
        this.#connection.send({ from: envelope.from, to: [envelope.to], size: message.length }, source, done),
      )
      return { outcome: 'sent' }
    } catch (error) {
      // After a failure nothing is known of the conversation: the next mail gets a connection of its own.
      this.close()
      return judgeFailure(error as SmtpFailure, isWholeOut)
    }
  }

  close(): void {
    this.#isUsable = false
    this.#connection.close()
  }

  quit(): void {
    this.#isUsable = false
    this.#connection.quit()
  }
}

const CHUNK = 16 * 1024

/**
 * The message, chunk by chunk as the connection asks for it, which it does only after the server has accepted
 * DATA. `onEnd` is called before the connection can write the final dot: a server that had not got it can not
 * have taken the mail.
 */
function readOnDemand(message: Buffer, onEnd: () => void): Readable {
  let at = 0
  return new Readable({
    highWaterMark: CHUNK,
    read() {
      if (at < message.length) {
        this.push(message.subarray(at, at + CHUNK))
        at += CHUNK
        return
      }
      onEnd()
      this.push(null)
    },
  })
}

/** A step may take so long. */
interface Bound {
  readonly ms: number
  readonly time: Pick<Time, 'after'>
}

/** Waits for a step within a bound. A connection that ends or fails in the middle ends the step. */
function settled(
  connection: SMTPConnection,
  { ms, time }: Bound,
  step: (done: (error?: Error | null) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: Error | null) => {
      callOff()
      connection.off('error', finish)
      connection.off('end', onEnd)
      if (error) reject(error)
      else resolve()
    }
    const fail = (code: string) => finish(Object.assign(new Error(code), { code, command: 'CONN' }))
    // The step's own answer, when it comes with the end, says more.
    const onEnd = () => void setImmediate(fail, 'ECONNECTION')
    const callOff = time.after(ms, () => fail('ETIMEDOUT'))
    connection.on('error', finish)
    connection.on('end', onEnd)
    step(finish)
  })
}
