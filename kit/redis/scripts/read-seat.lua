-- Purpose: reads one seat of the copy of an event.
-- KEYS: 1 seq, 2 bitmap, 3 occupancy, 4 the seat's hold
-- ARGV: 1 ordinal
-- Returns: nil when there is no copy, it is not whole, or it has no such seat; else {epoch, seq, tip, the
--   seat's two bits as a number, the seat's hold as JSON or '', the event's status,
--   what it was made under}.
local known = redis.call('HMGET', KEYS[1], 'epoch', 'seq', 'tip', 'writer', 'bytes', 'made_under')
local status = redis.call('HGET', KEYS[3], 'status')
if not known[1] or not known[2] or known[4] or not status then return false end
local bytes = redis.call('STRLEN', KEYS[2])
if bytes * 4 <= tonumber(ARGV[1]) then return false end
-- Another program may have written it.
if known[5] and tonumber(known[5]) ~= bytes then return false end
local code = redis.call('BITFIELD', KEYS[2], 'GET', 'u2', '#' .. ARGV[1])[1]
return {known[1], known[2], known[3] or '', tostring(code), redis.call('GET', KEYS[4]) or '', status, known[6] or ''}
