-- Purpose: removes what is kept of holds that have ended. A seat's key goes only if it is still that hold's.
-- KEYS: 1 seq, 2 seat_holds; then for each hold its meta key and, if it was for a seat, the seat's key.
-- ARGV: 1 writer ('' when the whole copy is being removed), then of each hold: id, seat ('' for places).
-- Returns: 1, or 0 when another attempt writes now, or has written, and nothing was removed.
if ARGV[1] == '' then
  -- A node that does not know yet that the event is over has made the copy again.
  if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
elseif redis.call('HGET', KEYS[1], 'writer') ~= ARGV[1] then
  return 0
end
local function is_of(value, hold)
  local start = '{"hold_id":"' .. hold .. '"'
  return string.sub(value, 1, #start) == start
end
local key = 3
for index = 2, #ARGV, 2 do
  local hold, seat = ARGV[index], ARGV[index + 1]
  redis.call('ZREM', KEYS[2], hold)
  redis.call('UNLINK', KEYS[key])
  key = key + 1
  if seat ~= '' then
    local value = redis.pcall('GET', KEYS[key])
    if type(value) == 'table' or (value and is_of(value, hold)) then
      redis.call('UNLINK', KEYS[key])
    end
    key = key + 1
  end
end
return 1
