import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Closes connections that have been idle for the server's `keepAliveTimeout`, but none whose next request has
 * arrived. Node looks at its timers before it reads: after a turn of the loop that took long, a request may
 * wait in the kernel on a connection whose time is up, and closing it would leave the caller without an
 * answer. So what has arrived is read first.
 */
export function closeIdleConnections(server: Server): void {
  server.on('timeout', (socket: Socket) => {
    const { bytesRead } = socket
    setImmediate(() => {
      if (socket.bytesRead === bytesRead) socket.destroy()
    })
  })
}
