import type { FastifyInstance } from 'fastify'
import type { Gateway, GatewayEvent } from '../payments/gateway.ts'
import { sendRefusal } from './serve.ts'

const PATH = '/api/payments/:gateway/webhook'
const LIMIT_BYTES = 256 * 1024

/**
 * Where the payment gateway tells its news. Not part of the contract: only the gateway can sign what it
 * says. The signature over the bytes comes first; 200 means that the message is kept.
 */
export function servePaymentWebhook(
  fastify: FastifyInstance,
  gateway: Gateway,
  store: (event: GatewayEvent) => Promise<void>,
): void {
  fastify.post(PATH, { bodyLimit: LIMIT_BYTES }, async (request, reply) => {
    const { gateway: name } = request.params as { gateway: string }
    if (name !== gateway.name) return sendRefusal(request, reply, { kind: 'not_found' })
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    const read = gateway.readWebhook(body, request.headers)
    if (!read.ok) {
      const message = `the message was not accepted: ${read.problem.kind}`
      return sendRefusal(request, reply, { kind: 'invalid_request', errors: [{ path: '', message }] })
    }
    if (read.value.kind !== 'ignored') await store(read.value)
    return reply.code(200).send({ data: { received: true } })
  })
}
