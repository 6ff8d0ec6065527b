-- Purpose: removes what is kept of holds that have ended (parts/forget-hold.lua).
-- KEYS: 1 seq, 2 seat_holds; then for each hold its meta key and, if it was for a seat, the seat's key.
-- ARGV: 1 writer ('' when the whole copy is being removed), then of each hold: id, seat ('' for places).
-- Returns: 1, or 0 when another attempt writes now, or has written, and nothing was removed.
if ARGV[1] == '' then
  -- A node that does not know yet that the event is over has made the copy again.
  local kind = redis.call('TYPE', KEYS[1]).ok
  local is_mark = kind == 'hash' and redis.call('HEXISTS', KEYS[1], 'least_seq') == 1
  if kind ~= 'none' and not is_mark then return 0 end
elseif redis.call('HGET', KEYS[1], 'writer') ~= ARGV[1] then
  return 0
end
local key = 3
for index = 2, #ARGV, 2 do
  key = forget_hold(ARGV[index], ARGV[index + 1], KEYS[2], key)
end
return 1
