import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { closeIdleConnections } from './idle-connections.ts'

const IDLE_MS = 100
/** Node waits for a second longer than it tells callers. */
const LONGER_MS = 1_000
const REQUEST = 'GET / HTTP/1.1\r\nhost: here\r\n\r\n'

async function connection() {
  const server = createServer((_request, response) => void response.end('an answer'))
  server.keepAliveTimeout = IDLE_MS
  closeIdleConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  let answers = 0
  socket.on('data', data => {
    answers += data.toString().split('an answer').length - 1
    socket.emit('answers', answers)
  })
  const untilAnswers = async (count: number) => {
    while (answers < count) await once(socket, 'answers')
  }
  socket.write(REQUEST)
  await untilAnswers(1)
  return { socket, untilAnswers }
}

/** As a long turn of the event loop does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

it('answers a request that arrived while the server was busy for longer than the connection may be idle', async () => {
  const { socket, untilAnswers } = await connection()
  const closed = once(socket, 'close').then(() => {
    throw new Error('the server closed the connection')
  })
  socket.write(REQUEST)
  block(LONGER_MS + 2 * IDLE_MS)
  await Promise.race([untilAnswers(2), closed])
})

it('closes a connection on which nothing has come', async () => {
  const { socket } = await connection()
  await once(socket, 'close')
  expect(socket.bytesRead).toBeGreaterThan(0)
})
