/** Buyers of the demo read these at checkout. */
export const DEMO_SELLERS = {
  voelgoed: {
    support_email: 'help@voelgoed.example',
    seller: {
      legal_name: 'Voelgoed Events (Pty) Ltd',
      vat_number: '4012345678',
      phone: '012 345 6789',
      terms:
        'A ticket lets one person in, at the place that it names.\n\nLatecomers are let in between the acts. You may film and photograph before and after the show, and not during it.\n\nYou may give your ticket to someone else. You may not sell it for more than you paid.',
      refund_rule:
        'Tell us at least two days before the event, and you get 90 % of the price back; fees stay. If an event is cancelled or moved to another day, you get everything back, fees too.',
    },
  },
  'kaap-arena': {
    support_email: 'tickets@kaap-arena.example',
    seller: {
      legal_name: 'Kaap Arena Bedryf (Edms) Bpk',
      phone: '+27 21 555 0100',
      terms_url: 'https://kaap-arena.example/terms',
      refund_rule: 'Tickets are not taken back. If an event is cancelled, you get everything back, fees too.',
    },
  },
} as const
