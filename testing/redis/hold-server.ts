import { RedisServer } from './server.ts'

/** A process of its own that starts a server, says which, and waits to be killed. */
const redis = await RedisServer.start()
console.log(redis.pid)
setInterval(() => {}, 1000)
