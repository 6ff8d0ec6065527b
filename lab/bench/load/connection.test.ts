import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { Connection } from './connection.ts'

const HEAD = 'HTTP/1.1 201 Created\r\ncontent-length: 4\r\n\r\n'
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

/** A server that does with each request what the test says. */
async function serve(answer: (socket: Socket, request: string) => void) {
  const server = createServer(socket => {
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.on('data', piece => answer(socket, piece.toString('latin1')))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connection = async () => {
    const opened = await Connection.open((server.address() as AddressInfo).port)
    open.push(() => opened.close())
    return opened
  }
  open.push(() => server.close())
  return { connection }
}

it('waits until the whole of an answer has come, also when it comes in pieces', async () => {
  const { connection } = await serve(socket => {
    socket.write(HEAD.slice(0, 20), () =>
      setImmediate(() => socket.write(`${HEAD.slice(20)}he`, () => setImmediate(() => socket.write('ld')))),
    )
  })
  const one = await connection()
  const { status, head, body } = await one.ask('a request')
  expect({ status, head, body }).toEqual({ status: '201', head: HEAD.trimEnd(), body: 'held' })
})

it('keeps the answers of connections apart', async () => {
  const { connection } = await serve((socket, request) => socket.write(HEAD + request))
  const [one, other] = [await connection(), await connection()]
  const answers = await Promise.all([one.ask('seat'), other.ask('row!')])
  expect(answers.map(({ body }) => body)).toEqual(['seat', 'row!'])
  expect((await one.ask('next')).body).toBe('next')
})

it('fails when an answer does not say how long it is', async () => {
  const { connection } = await serve(socket => socket.write('HTTP/1.1 200 OK\r\n\r\nheld'))
  await expect((await connection()).ask('a request')).rejects.toThrow('an answer without a length')
})

it('fails when the server hangs up, then and for each request after that', async () => {
  const { connection } = await serve(socket => socket.end())
  const one = await connection()
  await expect(one.ask('a request')).rejects.toThrow('closed a connection')
  await expect(one.ask('another')).rejects.toThrow('closed a connection')
})

it('fails when there is no server', async () => {
  await expect(Connection.open(1)).rejects.toThrow('ECONNREFUSED')
})
