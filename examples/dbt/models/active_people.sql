SELECT day, active, daily.new AS new_people, daily.returning AS returning_people, signed_in, present
FROM {{ source('plaza', 'daily_active') }} AS daily WHERE is_complete
