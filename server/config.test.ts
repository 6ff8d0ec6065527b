import { StartupError } from '@voelgoed/kit/base/startup-error'
import { describe, expect, it } from 'vitest'
import { parseConfig } from './config.ts'

describe('the configuration', () => {
  it('works with nothing set', () => {
    expect(parseConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: null,
      rootKey: null,
      rateLimits: true,
      demo: null,
    })
  })

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['DATABASE_URL', 'localhost:5432'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['REDIS_URL', 'localhost:6379'],
    ['REDIS_URL', 'redis://a:6379,http://b:6379'],
    ['VOELGOED_ROOT_KEY', 'short'],
    ['VOELGOED_ROOT_KEY', 'a key with spaces in it'],
    ['VOELGOED_LIMITS', 'maybe'],
    ['VOELGOED_BUS', 'nats'],
    ['VOELGOED_BUS', 'redis'],
    ['VOELGOED_DEMO', 'yes'],
    ['VOELGOED_TRUST_PROXY', '10.0.0.0/33'],
    ['VOELGOED_TRUST_PROXY', 'everyone'],
    ['VOELGOED_DATABASE_CONNECTIONS', '1'],
    ['VOELGOED_CONNECT_SECONDS', '0'],
    ['VOELGOED_WORKERS', '0'],
    ['VOELGOED_WORKERS', '65'],
    ['VOELGOED_LOG_LEVEL', 'loud'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['VOELGOED_SIMULATOR_SEED', 'x'],
    ['VOELGOED_PAYMENTS', 'cards'],
    ['PUBLIC_URL', 'tickets.example.org'],
    ['PUBLIC_URL', 'ftp://tickets.example.org'],
    ['PUBLIC_URL', 'https://tickets.example.org/shop'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'grpc://collector:4317'],
  ])('names the variable that is wrong: %s=%s', (name, value) => {
    expect(() => parseConfig({ [name]: value })).toThrow(StartupError)
    expect(() => parseConfig({ [name]: value })).toThrow(name)
  })

  it('never repeats what may be a secret', () => {
    for (const env of [
      { DATABASE_URL: 'user:hunter2@host' },
      { REDIS_URL: 'user:hunter2@host' },
      { VOELGOED_ROOT_KEY: 'hunter2' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'user:hunter2@host' },
    ]) {
      expect(() => parseConfig(env)).toThrow(/^(?!.*hunter2)/)
    }
  })

  it.each<[boolean, Record<string, string>]>([
    [true, {}],
    [true, { HOST: '::1', PUBLIC_URL: 'http://localhost:3000' }],
    [true, { DATABASE_URL: 'postgres://host/x', VOELGOED_PAYMENTS: 'simulator' }],
    [false, { DATABASE_URL: 'postgres://host/x' }],
    [false, { DATABASE_URL: 'postgres://host/x', VOELGOED_DEMO: '1' }],
    [false, { HOST: '0.0.0.0' }],
    [false, { PUBLIC_URL: 'https://tickets.example.org' }],
    [false, { VOELGOED_DEMO: '0' }],
    [false, { VOELGOED_PAYMENTS: 'none' }],
  ])('takes simulated cards (%s) where the demo is, or where it says so: %o', (taken, env) => {
    expect(parseConfig(env).simulatedCards).toBe(taken)
  })

  describe('Stripe', () => {
    const STRIPE = {
      STRIPE_SECRET_KEY: 'sk_test_hunter2',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_abc',
      STRIPE_WEBHOOK_SECRET: 'whsec_hunter2',
    }

    it('is not there without its variables, and there with all three', () => {
      expect(parseConfig({ STRIPE_SECRET_KEY: '' }).stripe).toBe(null)
      expect(parseConfig(STRIPE).stripe).toEqual({
        secretKey: 'sk_test_hunter2',
        publishableKey: 'pk_test_abc',
        webhookSecrets: ['whsec_hunter2'],
        isLive: false,
      })
      expect(parseConfig(STRIPE).simulatedCards).toBe(false)
      expect(() => parseConfig({ ...STRIPE, VOELGOED_PAYMENTS: 'simulator' })).toThrow(/Stripe/)
      const twoSecrets = { ...STRIPE, STRIPE_WEBHOOK_SECRET: 'whsec_a, whsec_b' }
      expect(parseConfig(twoSecrets).stripe?.webhookSecrets).toEqual(['whsec_a', 'whsec_b'])
    })

    it.each(Object.keys(STRIPE))('stops the start when only %s is missing, and names it', name => {
      const start = () => parseConfig({ ...STRIPE, [name]: '' })
      expect(start).toThrow(StartupError)
      expect(start).toThrow(new RegExp(`needs ${name} as well`))
      expect(start).toThrow(/^(?!.*hunter2)/)
    })

    it.each([
      ['STRIPE_SECRET_KEY', 'pk_test_hunter2'],
      ['STRIPE_PUBLISHABLE_KEY', 'sk_test_hunter2'],
      ['STRIPE_WEBHOOK_SECRET', 'hunter2'],
      ['STRIPE_PUBLISHABLE_KEY', 'pk_live_hunter2'],
    ])('stops the start when %s can not be right, without repeating it', (name, value) => {
      const start = () => parseConfig({ ...STRIPE, [name]: value })
      expect(start).toThrow(name)
      expect(start).toThrow(/^(?!.*hunter2)/)
    })
  })

  it('knows a Redis, or the nodes of a Cluster', () => {
    expect(parseConfig({}).redisUrls).toEqual([])
    expect(parseConfig({ REDIS_URL: 'rediss://user:secret@host' }).redisUrls).toHaveLength(1)
    const REDIS_URL = 'redis://a:7000, redis://b:7000'
    expect(parseConfig({ REDIS_URL }).redisUrls).toEqual(['redis://a:7000', 'redis://b:7000'])
  })

  it('nodes tell each other by Redis when there is one, unless the operator says otherwise', () => {
    const REDIS_URL = 'redis://127.0.0.1'
    expect(parseConfig({}).bus).toBe('postgres')
    expect(parseConfig({ REDIS_URL }).bus).toBe('redis')
    expect(parseConfig({ REDIS_URL, VOELGOED_BUS: 'postgres' }).bus).toBe('postgres')
  })

  it('traces only when there is somewhere to send traces to', () => {
    expect(parseConfig({ OTEL_SERVICE_NAME: 'seats' }).tracing).toBe(null)
    const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318'
    expect(parseConfig({ OTEL_EXPORTER_OTLP_ENDPOINT }).tracing).toEqual({
      endpoint: 'http://collector:4318',
      serviceName: 'voelgoed-seating',
    })
  })

  it('has a worker for each core, four at most, and connections for all of them', () => {
    const standard = [1, 2, 4, 16].map(cores => parseConfig({}, cores))
    expect(standard.map(({ workers }) => workers)).toEqual([1, 2, 4, 4])
    expect(standard.map(({ databaseConnections }) => databaseConnections)).toEqual([10, 12, 24, 24])
    expect(parseConfig({ VOELGOED_WORKERS: '16' }, 2)).toMatchObject({ workers: 16, databaseConnections: 96 })
  })

  it('has no more workers than there are connections for', () => {
    expect(parseConfig({ VOELGOED_DATABASE_CONNECTIONS: '5' }, 4).workers).toBe(2)
    expect(() => parseConfig({ VOELGOED_DATABASE_CONNECTIONS: '5', VOELGOED_WORKERS: '3' })).toThrow(
      'VOELGOED_DATABASE_CONNECTIONS must be at least 6',
    )
  })

  it('has the metrics with everything else, unless they have a port of their own', () => {
    expect(parseConfig({})).toMatchObject({ metricsPort: null, drainSeconds: 5 })
    expect(parseConfig({ VOELGOED_METRICS_PORT: '9464' })).toMatchObject({
      metricsPort: 9464,
      metricsHost: '127.0.0.1',
    })
    expect(() => parseConfig({ VOELGOED_METRICS_HOST: '0.0.0.0' })).toThrow(
      'VOELGOED_METRICS_HOST needs VOELGOED_METRICS_PORT',
    )
    const both = { VOELGOED_METRICS_PORT: '3000', PORT: '3000' }
    expect(() => parseConfig(both)).toThrow('VOELGOED_METRICS_PORT must be another than PORT')
    // The port that it has when PORT does not say another.
    const standard = { VOELGOED_METRICS_PORT: '3000' }
    expect(() => parseConfig(standard)).toThrow('VOELGOED_METRICS_PORT must be another than PORT')
  })

  it('takes lists of addresses and networks', () => {
    expect(parseConfig({ VOELGOED_TRUST_PROXY: '10.0.0.0/8, ::1' }).trustProxy).toEqual(['10.0.0.0/8', '::1'])
  })
})
