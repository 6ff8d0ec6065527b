import { connect } from 'node:net'

/**
 * A process of its own, so that nothing the bench does delays it: asks /healthz every 5 ms on one connection
 * and reports [when, how long] of each. While an answer is late no other is asked for; the ones that should
 * have been asked meanwhile are counted as if they had, or a long stall would look like a single slow answer.
 */
const EVERY_MS = 5
const port = Number(process.argv[2])

const samples: [at: number, ms: number][] = []
const socket = connect({ port, host: '127.0.0.1', noDelay: true })
const now = () => performance.timeOrigin + performance.now()
let dueAt = now()
let received = ''

function ask(): void {
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n')
}

socket.on('connect', () => {
  dueAt = now()
  ask()
})
socket.on('data', piece => {
  received += piece.toString('latin1')
  if (!received.endsWith('}')) return
  received = ''
  const answeredAt = now()
  if (samples.length === 0) process.send!('started')
  while (dueAt <= answeredAt) {
    samples.push([dueAt, answeredAt - dueAt])
    dueAt += EVERY_MS
  }
  setTimeout(ask, dueAt - answeredAt)
})
socket.on('error', error => {
  process.stderr.write(`ping: ${error.message}\n`)
  process.exit(1)
})
// The server or the bench is gone: there is no server to ask, or no bench to tell.
socket.on('close', () => process.exit(1))
process.on('disconnect', () => process.exit(1))
process.on('message', () => {
  process.send!(samples, () => process.exit(0))
})
