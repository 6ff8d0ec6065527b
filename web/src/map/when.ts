/** Both return how the work is taken back. */
type Later = () => void

export function inNextFrame(work: (now: number) => void): Later {
  const frame = requestAnimationFrame(work)
  return () => cancelAnimationFrame(frame)
}

/** As soon as the browser has nothing more urgent to do. A timer would wait for 4 ms each time. */
export function inNextTask(work: () => void): Later {
  const { port1, port2 } = new MessageChannel()
  const close = () => port1.close()
  port1.onmessage = () => {
    close()
    work()
  }
  port2.postMessage(null)
  return close
}
