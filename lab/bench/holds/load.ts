import { connect, type Socket } from 'node:net'

/**
 * The load generator, a process of its own. Nothing but sockets and prepared bytes, because it shares the machine
 * with what it measures: on each connection one request at a time, the next as soon as the answer is there.
 */
export interface LoadOrder {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** Taken in turn by the requests. */
  readonly tokens: readonly string[]
  readonly eventIds: readonly string[]
  /** Each of every event is asked for once at most. */
  readonly seatIds: readonly string[]
}

export interface LoadFigures {
  readonly holds: number
  /** Answers other than 201, by status. */
  readonly refused: Readonly<Record<string, number>>
  readonly seconds: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly cpuSeconds: number
}

process.once('message', async (order: LoadOrder) => {
  const figures = await run(order)
  process.send!(figures, () => process.exit(0))
})

async function run(order: LoadOrder): Promise<LoadFigures> {
  const requests = requestsOf(order)
  const ms: number[] = []
  const refused: Record<string, number> = {}
  const sockets = await Promise.all(Array.from({ length: order.connections }, () => openSocket(order.port)))
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  let holds = 0
  await Promise.all(
    sockets.map(
      socket =>
        new Promise<void>((resolve, reject) => {
          let askedAt = 0
          const ask = () => {
            askedAt = performance.now()
            const request = askedAt < endsAt ? requests.next().value : undefined
            if (request) socket.write(request, 'latin1')
            else resolve()
          }
          onAnswers(socket, status => {
            ms.push(performance.now() - askedAt)
            if (status === '201') holds += 1
            else refused[status] = (refused[status] ?? 0) + 1
            ask()
          })
          socket.once('error', reject)
          socket.once('close', () => reject(new Error('the server closed a connection')))
          ask()
        }),
    ),
  )
  const seconds = (performance.now() - startedAt) / 1000
  const cpu = process.cpuUsage(cpuBefore)
  for (const socket of sockets) socket.destroy()
  const sorted = Float64Array.from(ms).sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return {
    holds,
    refused,
    seconds,
    perSecond: holds / seconds,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    cpuSeconds: (cpu.user + cpu.system) / 1e6,
  }
}

function* requestsOf({ eventIds, seatIds, tokens }: LoadOrder): Generator<string, void> {
  let count = 0
  for (const eventId of eventIds) {
    for (const seatId of seatIds) {
      const token = tokens[count % tokens.length]
      count += 1
      yield `POST /api/events/${eventId}/seats/${seatId}/reserve HTTP/1.1\r\nhost: localhost\r\n` +
        `authorization: Bearer ${token}\r\ncontent-length: 0\r\n\r\n`
    }
  }
}

function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => {
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

/** Calls back with the status of each whole answer. Our server always says how long an answer is. */
function onAnswers(socket: Socket, answered: (status: string) => void): void {
  let received = ''
  socket.on('data', piece => {
    received += piece.toString('latin1')
    const headEnds = received.indexOf('\r\n\r\n')
    if (headEnds < 0) return
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)![1])
    if (received.length < headEnds + 4 + length) return
    const status = received.slice(9, 12)
    received = ''
    answered(status)
  })
}
