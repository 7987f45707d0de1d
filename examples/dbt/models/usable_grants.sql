SELECT day, app_id, app, issued, revoked, expired, active
FROM {{ source('plaza', 'grant_churn') }} WHERE is_complete
